"""Every error of the API with its stable code (contract, Errors).

One module per kind of status; docs/site lists them. `error_handlers` turns them into responses;
services raise nothing else.
"""

from serving_api.errors.base import *
from serving_api.errors.conflicts import *
from serving_api.errors.invalid import *
from serving_api.errors.limits import *
from serving_api.errors.missing import *
from serving_api.errors.payout_conflicts import *
from serving_api.errors.refused import *
from serving_api.errors.unprocessable import *
