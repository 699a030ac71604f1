# The server in a container; docs/deploy.md says how to build and run it.
FROM python:3.12-slim

RUN useradd --create-home minmaxvrp
WORKDIR /opt/minmaxvrp
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY src src
COPY examples examples
RUN pip install --no-cache-dir -c constraints.txt '.[web]'

# compiled kernels belong to the image: a new container answers at once
USER minmaxvrp
ENV MINMAXVRP_CACHE_DIR=/home/minmaxvrp/cache
RUN minmaxvrp solve examples/city.csv --vehicles 3 --time 1

EXPOSE 8000
# refuses to start without MINMAXVRP_TOKEN: containers listen on more than loopback
CMD ["minmaxvrp", "serve", "--host", "0.0.0.0"]
