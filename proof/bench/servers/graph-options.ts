/** How benches open the graph, on whatever database. */
export const graphOptions = {
  gatewaySecret: 'a secret for benchmarks, long enough to pass',
  keyPrefix: 'svc',
  baseUrls: { live: 'http://127.0.0.1', sandbox: 'http://127.0.0.1' },
  billing: { period: 'P1M', lowCreditsThresholds: [1000, 100] },
  oauth: {
    refreshGraceSeconds: 0,
    sessionHours: 12,
    stepUpMinutes: 30,
  },
  docsUrl: 'http://127.0.0.1',
  invalidate: () => {},
  warn: () => {},
} as const
