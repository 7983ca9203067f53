# One image for every role; `docker run credit-gateway start facade` picks one.
# By digest, the index of all platforms: a tag can be moved. deploy/README.md says how to move both on.
ARG NODE_IMAGE=node:24.21.0-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6

# What the running gateway needs: no install script runs, and neither development tools nor the embedded
# PostgreSQL come along. DATABASE_URL says where a server is.
FROM ${NODE_IMAGE} AS dependencies
WORKDIR /gateway
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --omit=dev --omit=optional --no-audit --no-fund

FROM ${NODE_IMAGE} AS build
WORKDIR /gateway
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json ./
COPY schema schema
COPY subgraphs subgraphs
COPY rest-facade rest-facade
# Compiled code is in dist/; what remains in the folders are the data files it reads: schemas, catalogue, prices.
RUN node_modules/.bin/tsc --incremental false \
  && find schema subgraphs rest-facade -name '*.ts' -delete \
  && find schema subgraphs rest-facade -type d -empty -delete
# Of the API reference browsers run one file; the packages it was built from stay out.
RUN mkdir /reference && cd node_modules/@scalar/api-reference \
  && cp --parents package.json dist/index.js dist/browser/standalone.js /reference

FROM ${NODE_IMAGE}
# Nobody installs anything here any more, so what could is no weakness of ours either.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack \
    /opt/yarn-* /usr/local/bin/yarn /usr/local/bin/yarnpkg \
  && install -d -o node -g node -m 0700 /data \
  && ln -s /gateway/rest-facade/commands/gateway.mjs /usr/local/bin/gateway
WORKDIR /gateway
COPY --from=dependencies /gateway/node_modules node_modules
COPY --from=build /reference node_modules/@scalar/api-reference
COPY --from=build /gateway/schema schema
COPY --from=build /gateway/subgraphs subgraphs
COPY --from=build /gateway/rest-facade rest-facade
COPY --from=build /gateway/dist dist
COPY package.json LICENSE ./
# All addresses of the container; which ports the world sees is decided outside.
ENV NODE_ENV=production HOST=0.0.0.0 INTERNAL_HOST=0.0.0.0 DATA_DIR=/data
EXPOSE 8080 8081 4000
# The number of `node`, for whoever has to see that it is not root's. The root file system may be read-only:
# only results of exports are written, to /data, and not even those when they go to a bucket.
USER 1000:1000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "rest-facade/commands/ready.mjs"]
ENTRYPOINT ["node", "--enable-source-maps", "--max-semi-space-size=16", "dist/rest-facade/commands/main.js"]
CMD ["start"]
