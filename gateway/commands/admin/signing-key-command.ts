import type { SigningKeyUse } from '../../../schema/generated/operations.ts'
import type { Config } from '../../config/config.ts'
import { execute, type Output, print } from './ask-database.ts'

const usesOf = {
  all: ['OPENID', 'BACKENDS'],
  openid: ['OPENID'],
  backends: ['BACKENDS'],
} as const

interface RotateOptions extends Output {
  readonly use: keyof typeof usesOf
  readonly force?: boolean
  readonly emergency?: boolean
}

/** Prints the next signing key of each environment and its start; keys for backends separately. */
export async function rotateSigningKeys(
  config: Config,
  { json, use, force = false, emergency = false }: RotateOptions,
): Promise<void> {
  const uses = usesOf[use]
  const keys = await execute(config, 'RotateSigningKeys', { uses, force, emergency })
  const rowsOf = (wanted: SigningKeyUse) =>
    keys
      .filter((key) => key.use === wanted)
      .map(({ environment, kid, activates_at }) => [environment, { kid, activates_at }])
  const backends = Object.fromEntries(rowsOf('BACKENDS'))
  print(
    { ...Object.fromEntries(rowsOf('OPENID')), ...(use === 'openid' ? {} : { backends }) },
    { json },
  )
}
