import type { Variables } from './variables/variables.ts'

const s3Form = 's3://<key>:<secret>@<host>/<bucket>?region=<region>'
const s3Parts = ['ENDPOINT', 'BUCKET', 'REGION', 'KEY', 'SECRET']

/** Variables of earlier builds → what to do instead. A value that is set and not read would be believed. */
export const oldNames: ReadonlyMap<string, string> = new Map([
  ...['EXPORT', 'DIGEST'].flatMap((use) =>
    s3Parts.map((part): [string, string] => [
      `${use}_S3_${part}`,
      `is now a part of ${use}_S3_URL: ${s3Form}`,
    ]),
  ),
  ['SUBGRAPH_TIMEOUT_MS', 'is gone: DATABASE_TIMEOUT_MS is the limit of both'],
  ['HEALTH_PROBE_TIMEOUT_MS', 'is gone: a probe of a backend module has two seconds'],
  ['IDEMPOTENCY_TTL_HOURS', 'is gone: an answer is kept for 24 hours'],
  ['EXPORT_URL_TTL_SECONDS', 'is gone: a link to a result works for 15 minutes'],
  ['WEBHOOK_DISABLE_AFTER_HOURS', 'is gone: an endpoint that fails for five days is disabled'],
  [
    'SIGNING_KEY_ROTATION_DAYS',
    'is gone: a key signs for 90 days, and gateway keys rotate-signing replaces it sooner',
  ],
  ['WARM_UP', 'is gone: a process always prepares itself for its first calls'],
])

/** A line for each old name that is set, also as `<NAME>_FILE`. */
export function oldNameProblems(given: Variables): readonly string[] {
  return Object.keys(given).flatMap((name) => {
    const advice = oldNames.get(name) ?? oldNames.get(name.replace(/_FILE$/, ''))
    return advice === undefined ? [] : [`${name} ${advice}`]
  })
}
