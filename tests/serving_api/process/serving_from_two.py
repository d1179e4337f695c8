"""A program that serves from two processes; each imports this module again.

Arguments: home, PostgreSQL, port, Redis, which may be slow on a busy machine.
"""

import sys

from warehouse.loading import loading

with loading():
    from serving_api.process.serve import serve
    from serving_api.rate_limit import windows
    from warehouse.settings import Settings

windows.REDIS_TIMEOUT_SECONDS = 60.0

if __name__ == "__main__":
    home, database_url, port, redis_url = sys.argv[1:]
    settings = Settings(home=home, database_url=database_url, redis_url=redis_url)
    serve(settings, "127.0.0.1", int(port), workers=2)
