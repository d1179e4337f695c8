"""The landed batches of each platform."""

from orchestration.scraping.scrape_asset import scrape_asset
from warehouse.platforms import PLATFORMS

SCRAPES = [scrape_asset(platform) for platform in PLATFORMS]
LANDED = [scrape.key for scrape in SCRAPES]
