import { z } from 'zod'
import type { Config } from '../../config/config.ts'
import { execute, type Output, print } from './ask-database.ts'

const nextKeys = z.array(
  z.object({
    use: z.enum(['OPENID', 'BACKENDS']),
    environment: z.string(),
    kid: z.string(),
    activates_at: z.string(),
  }),
)

interface RotateOptions extends Output {
  readonly use: 'all' | 'openid' | 'backends'
  readonly force?: boolean
  readonly emergency?: boolean
}

/** Prints the next signing key of each environment and its start; keys for backends separately. */
export async function rotateSigningKeys(
  config: Config,
  { json, use, force = false, emergency = false }: RotateOptions,
): Promise<void> {
  const uses = use === 'all' ? ['OPENID', 'BACKENDS'] : [use.toUpperCase()]
  const answer = await execute(config, 'RotateSigningKeys', { uses, force, emergency })
  const keys = nextKeys.parse(answer)
  const rowsOf = (wanted: string) =>
    keys
      .filter((key) => key.use === wanted)
      .map(({ environment, kid, activates_at }) => [environment, { kid, activates_at }])
  const backends = Object.fromEntries(rowsOf('BACKENDS'))
  print(
    { ...Object.fromEntries(rowsOf('OPENID')), ...(use === 'openid' ? {} : { backends }) },
    { json },
  )
}
