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
])

/** A line for each old name that is set, also as `<NAME>_FILE`. */
export function oldNameProblems(given: Variables): readonly string[] {
  return Object.keys(given).flatMap((name) => {
    const advice = oldNames.get(name) ?? oldNames.get(name.replace(/_FILE$/, ''))
    return advice === undefined ? [] : [`${name} ${advice}`]
  })
}
