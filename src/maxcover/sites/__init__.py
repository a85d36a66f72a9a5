"""Sites on a map: what was chosen, whom it reaches, as picture, page, GeoJSON and table."""

from maxcover.sites.site_map import SiteMap

__all__ = ["SiteMap"]
