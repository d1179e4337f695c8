"""The platform simulator: TikTok and Instagram as a function of a seed and a time, over HTTP.

`world.py` and the modules below it have the truth, the sites' modules show it, `faults.py` breaks
things. It does not know the parsers: both are written from the same documents.
"""

from scrapers.simulator.app import simulator_app
from scrapers.simulator.creators import EPOCH
from scrapers.simulator.faults import Fault, FaultKind, Faults
from scrapers.simulator.records import AccountType, Kind, Platform, TruePost, TrueProfile
from scrapers.simulator.server import RunningSimulator, running_simulator, serve
from scrapers.simulator.world import World

__all__ = [
    "EPOCH",
    "AccountType",
    "Fault",
    "FaultKind",
    "Faults",
    "Kind",
    "Platform",
    "RunningSimulator",
    "TruePost",
    "TrueProfile",
    "World",
    "running_simulator",
    "serve",
    "simulator_app",
]
