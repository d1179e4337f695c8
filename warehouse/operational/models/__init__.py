"""The tables of PostgreSQL, a module for each family. Importing this package registers all."""

from warehouse.operational.models.access import *
from warehouse.operational.models.campaigns import *
from warehouse.operational.models.changes import *
from warehouse.operational.models.creators import *
from warehouse.operational.models.fetches import *
from warehouse.operational.models.goals import *
from warehouse.operational.models.organizations import *
from warehouse.operational.models.passkeys import *
from warehouse.operational.models.payments import *
from warehouse.operational.models.payout_rules import *
from warehouse.operational.models.shards import *
from warehouse.operational.models.videos import *
from warehouse.operational.models.webhooks import *
