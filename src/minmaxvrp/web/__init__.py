"""The web room: a server with one page and an HTTP API over `solve`; docs/api-http.md describes it.

Read it in this order: `server` starts it, `app` has the routes, `jobs` what a job is, `pool` the worker
processes, `worker` what runs in them, `tasks` what they do. `server_settings` holds every limit.
"""
