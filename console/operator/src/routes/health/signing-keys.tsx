import { type Column, List } from '../../../../src/components/list.tsx'
import { Card } from '../../../../src/components/screen.tsx'
import { Status, type Tone } from '../../../../src/components/status.tsx'
import { Time } from '../../../../src/components/time.tsx'
import type { Body } from '../../api.ts'
import { useAsked, wholeList } from '../../data/read.ts'

type SigningKey = Body<'SigningKeys'>[number]

const uses: Readonly<Record<string, string>> = {
  ...{ openid: 'tokens of OpenID Connect', backends: 'tokens for modules' },
}

/** A key signs from its day until the next one of its kind does, or until it is revoked. */
function stateOf(key: SigningKey, keys: readonly SigningKey[]): readonly [Tone, string] {
  if (key.revokedAt) return ['alert', 'revoked']
  const now = Date.now()
  if (Date.parse(key.activateAt) > now) return ['quiet', 'not yet']
  const isReplaced = keys.some(
    (other) =>
      other.use === key.use &&
      other.environment === key.environment &&
      !other.revokedAt &&
      other.activateAt > key.activateAt &&
      Date.parse(other.activateAt) <= now,
  )
  return isReplaced ? ['quiet', 'replaced'] : ['good', 'signs']
}

/** The keys that sign tokens, by their age. The keys themselves are not shown. */
export function SigningKeys() {
  const read = useAsked('SigningKeys', {})
  const keys = read.data ?? []
  const columns: readonly Column<SigningKey>[] = [
    { label: 'Signs', cell: ({ use }) => <b>{uses[use] ?? use}</b> },
    {
      label: 'State',
      cell: (key) => {
        const [tone, state] = stateOf(key, keys)
        return <Status tone={tone}>{state}</Status>
      },
    },
    { label: 'Environment', cell: ({ environment }) => environment },
    { label: 'Key id', cell: ({ kid }) => <span className="mono">{kid}</span> },
    { label: 'Signs from', cell: ({ activateAt }) => <Time at={activateAt} as="day" /> },
    {
      ...{ label: 'Age', isRight: true },
      cell: ({ createdAt }) => <Time at={createdAt} as="relative" />,
    },
  ]
  return (
    <Card title="Signing keys">
      <List
        {...{ name: 'signing keys', page: wholeList(read, read.data), columns }}
        keyOf={({ use, kid }: SigningKey) => `${use} ${kid}`}
        empty="No key has been made yet."
      />
    </Card>
  )
}
