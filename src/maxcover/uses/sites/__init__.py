"""Sites on a map: problems from places; chosen sites as plot, page, GeoJSON and table."""

from maxcover.uses.sites.site_constructors import from_points, from_travel_times
from maxcover.uses.sites.site_map import SiteMap

__all__ = ["SiteMap", "from_points", "from_travel_times"]
