"""Sites on a map: chosen sites and the demand they reach, as plot, page, GeoJSON and table."""

from maxcover.uses.sites.site_map import SiteMap

__all__ = ["SiteMap"]
