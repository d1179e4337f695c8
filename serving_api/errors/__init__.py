"""Every error of the API with its stable code (contract, Errors).

`table` has those without fields; docs/site lists all. `error_handlers` turns them into responses;
services raise nothing else.
"""

from serving_api.errors.base import *
from serving_api.errors.conflicts import *
from serving_api.errors.details import *
from serving_api.errors.invalid import *
from serving_api.errors.table import *
