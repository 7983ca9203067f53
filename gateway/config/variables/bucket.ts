import { z } from 'zod'
import { originAlone } from './formats.ts'
import type { Variables } from './variables.ts'

/** A bucket of S3 or of a compatible service. */
export const bucket = {
  ENDPOINT: originAlone.optional(),
  BUCKET: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be the name of a bucket')
    .optional(),
  REGION: z
    .string()
    .regex(/^[a-z0-9-]{1,64}$/, 'must be a region, such as eu-central-1')
    .optional(),
  KEY: z.string().regex(/^\S+$/, 'must be the id of an access key').optional(),
  SECRET: z.string().regex(/^\S+$/, 'must be the secret of an access key').optional(),
}

/** Requires all five variables of a bucket, and no directory beside them. */
export function missingForS3(given: Variables, use: 'EXPORT' | 'DIGEST'): string[] {
  const names = Object.keys(bucket).map((name) => `${use}_S3_${name}`)
  const missing = names.filter((name) => given[name] === undefined)
  if (missing.length === names.length) return []
  const directory = `${use}_DIR`
  const both =
    given[directory] === undefined ? [] : [`${directory} cannot be used beside ${use}_S3_*`]
  const purpose = { EXPORT: 'export to S3', DIGEST: 'keep digests in S3' }[use]
  return [...missing.map((name) => `${name} is required to ${purpose}`), ...both]
}
