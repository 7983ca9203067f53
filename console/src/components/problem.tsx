import { Button, Group } from '@mantine/core'
import { ConnectionError, GatewayError, TimeoutError } from 'credit-gateway-sdk'
import type { Missing } from '../data/read.ts'
import { isOutage } from '../outage.ts'

/** The text of a failure for the person who reads it. */
export function messageOf(error: Error): string {
  if (error instanceof TimeoutError) return 'The gateway did not answer in time.'
  if (error instanceof ConnectionError) return 'The gateway does not answer.'
  // A proxy says so in its own words.
  if (error instanceof GatewayError && error.code === null && isOutage(error))
    return 'The gateway does not answer.'
  return error.message
}

/**
 * The messages of the API about inputs, by the name of the member, such as `ip_allowlist`. Messages
 * about a part of a member, such as `ip_allowlist.0`, are collected under its name.
 */
export function fieldErrors(error: Error | null): Readonly<Record<string, string>> {
  if (!(error instanceof GatewayError) || error.code !== 'INVALID_REQUEST') return {}
  const found: Record<string, string> = {}
  for (const { field, message } of error.details) {
    const [name = '', ...rest] = field.split('.')
    const part =
      rest.length > 0 && /^\d+$/.test(rest[0] ?? '') ? `entry ${Number(rest[0]) + 1} ` : ''
    const text = `${part}${message}`
    found[name] = name in found ? `${found[name]}; ${text}` : asSentence(text)
  }
  return found
}

function asSentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

interface ProblemNoticeProps {
  readonly error: Error
  /** Tries again. */
  readonly retry?: (() => void) | undefined
  /** The inputs of a form that show their own problems: these are not repeated. */
  readonly fields?: readonly string[]
}

/** A failure with its message and the id of its request. */
export function ProblemNotice({ error, retry, fields = [] }: ProblemNoticeProps) {
  const requestId = error instanceof GatewayError ? error.requestId : null
  const beside = fieldErrors(error)
  const rest = Object.entries(beside).filter(([name]) => !fields.includes(name))
  const names = Object.keys(beside)
  const message =
    names.length > 0 && rest.length === 0
      ? 'Some input is invalid; see above.'
      : names.length > 0
        ? rest.map(([name, text]) => `${name}: ${text}`).join('; ')
        : messageOf(error)
  return (
    <div className="notice" data-kind="alert" role="alert">
      <Group justify="space-between" gap="sm">
        <div>
          <div>{message}</div>
          {requestId && (
            <div className="small">
              Request <span className="mono">{requestId}</span>
            </div>
          )}
        </div>
        {retry && (
          <Button variant="default" size="xs" onClick={retry}>
            Try again
          </Button>
        )}
      </Group>
    </div>
  )
}

/** Says which scope is missing. */
export function NoPermission({ scopes, role }: Missing) {
  const needed = scopes.join(' or ')
  return (
    <div className="notice" data-kind="plain">
      {role
        ? `Your role ${role} does not hold the scope ${needed}. An owner of the account can see this.`
        : `The key that you signed in with lacks the scope ${needed}. Sign in with a key that has it.`}
    </div>
  )
}
