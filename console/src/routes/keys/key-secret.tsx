import { Button, Group, Text } from '@mantine/core'
import { useEffect, useMemo } from 'react'
import { CopyButton } from '../../components/copy.tsx'
import { OneTimeSecret } from '../../components/forms/one-time-secret.tsx'
import { Icon } from '../../components/icons.tsx'
import { gatewayUrl } from '../../place.ts'

interface KeySecretProps {
  readonly plaintext: string
  readonly scopes: readonly string[]
  readonly advice: string
  readonly onClose: () => void
}

/** A new key, which is shown this once, with a command that works and a file for programs. */
export function KeySecret({ plaintext, scopes, advice, onClose }: KeySecretProps) {
  const command = commandOf(plaintext, scopes)
  const file = useFile(`GATEWAY_URL=${gatewayUrl}\nGATEWAY_API_KEY=${plaintext}\n`)
  return (
    <OneTimeSecret
      {...{ title: 'Your new API key', advice, values: [['API key', plaintext]], onClose }}
    >
      <div>
        <Group justify="space-between" align="end" mb={4}>
          <Text size="sm" fw={500}>
            Try it
          </Text>
          <CopyButton text={command} what="the command" />
        </Group>
        <pre className="code">{command}</pre>
      </div>
      <Group>
        <Button
          {...{ component: 'a', href: file, download: 'gateway.env', variant: 'default' }}
          leftSection={<Icon name="download" />}
        >
          Download gateway.env
        </Button>
      </Group>
    </OneTimeSecret>
  )
}

/** The address of a file that only this page has, until the component goes. */
function useFile(content: string): string {
  const file = useMemo(() => URL.createObjectURL(new Blob([content])), [content])
  useEffect(() => () => URL.revokeObjectURL(file), [file])
  return file
}

/** A call that the key may make: of a product, or else what every key can read about itself. */
function commandOf(plaintext: string, scopes: readonly string[]): string {
  const authorization = `  -H 'Authorization: Bearer ${plaintext}'`
  if (!scopes.includes('contacts:write') && !scopes.includes('*')) {
    return [`curl ${gatewayUrl}/v1/account/keys/current \\`, authorization].join('\n')
  }
  return [
    `curl ${gatewayUrl}/v1/contacts/search \\`,
    `${authorization} \\`,
    `  -H 'content-type: application/json' \\`,
    `  -d '{"query":"head of marketing","limit":3}'`,
  ].join('\n')
}
