# One image for every role; `docker run credit-gateway start facade` picks one.
# The digest of the index of all platforms: a tag can be moved. deploy/README.md says how to update both.
ARG NODE_IMAGE=node:24.21.0-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6

# The packages that the running gateway needs, without install scripts, development tools and the
# embedded PostgreSQL. DATABASE_URL names the server.
FROM ${NODE_IMAGE} AS dependencies
WORKDIR /gateway
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --omit=dev --omit=optional --no-audit --no-fund

FROM ${NODE_IMAGE} AS build
WORKDIR /gateway
COPY package.json package-lock.json ./
COPY console/package.json console/
COPY sdk/package.json sdk/
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json ./
COPY schema schema
COPY subgraphs subgraphs
COPY rest-facade rest-facade
COPY site site
COPY gateway gateway
COPY sdk sdk
COPY console console
RUN PATH=/gateway/node_modules/.bin:$PATH node console/build.mjs
# Compiled code is in dist/. The folders keep the data files that it reads: schemas, catalog, prices.
RUN node_modules/.bin/tsc --incremental false \
  && find schema subgraphs rest-facade site gateway -name '*.ts' -delete \
  && find schema subgraphs rest-facade site gateway -type d -empty -delete
# Browsers need one file of the API reference; the packages that it was built from are removed.
RUN mkdir /reference && cd node_modules/@scalar/api-reference \
  && cp --parents package.json dist/index.js dist/browser/standalone.js /reference

FROM ${NODE_IMAGE}
# Nothing is installed any more, so npm is removed, with its vulnerabilities.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack \
    /opt/yarn-* /usr/local/bin/yarn /usr/local/bin/yarnpkg \
  && install -d -o node -g node -m 0700 /data \
  && ln -s /gateway/gateway/commands/gateway.mjs /usr/local/bin/gateway
WORKDIR /gateway
COPY --from=dependencies /gateway/node_modules node_modules
COPY --from=build /reference node_modules/@scalar/api-reference
COPY --from=build /gateway/schema schema
COPY --from=build /gateway/subgraphs subgraphs
COPY --from=build /gateway/rest-facade rest-facade
COPY --from=build /gateway/site/assets site/assets
COPY --from=build /gateway/site/generated site/generated
COPY --from=build /gateway/gateway gateway
COPY --from=build /gateway/dist dist
COPY --from=build /gateway/console/dist console/dist
COPY package.json LICENSE ./
# All addresses of the container; the deployment decides which ports are published.
ENV NODE_ENV=production HOST=0.0.0.0 INTERNAL_HOST=0.0.0.0 DATA_DIR=/data
EXPOSE 8080 8081 4000
# The user id of `node`, as a number, so that Kubernetes can check that it is not root. The root file
# system may be read-only: only results of exports are written to /data, unless they go to a bucket.
USER 1000:1000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "gateway/commands/ready.mjs"]
ENTRYPOINT ["node", "gateway/commands/gateway.mjs"]
CMD ["start"]
