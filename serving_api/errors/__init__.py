"""Every error the API answers with, and its stable code (contract, Errors).

A module for each kind of answer; docs/site lists them all. How an error becomes a response is
`error_handlers`; services raise these and nothing else.
"""

from serving_api.errors.base import *
from serving_api.errors.conflicts import *
from serving_api.errors.invalid import *
from serving_api.errors.limits import *
from serving_api.errors.missing import *
from serving_api.errors.payout_conflicts import *
from serving_api.errors.refused import *
from serving_api.errors.unprocessable import *
