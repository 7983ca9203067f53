import type { AccountStatus } from '../../../../schema/generated/operator-operations.ts'
import { Status, type Tone } from '../../../src/components/status.tsx'

const tones: Readonly<Record<AccountStatus, Tone>> = {
  ...{ ACTIVE: 'good', SUSPENDED: 'caution', CLOSED: 'alert' },
}

export function AccountState({ status }: { readonly status: AccountStatus }) {
  return <Status tone={tones[status]}>{status.toLowerCase()}</Status>
}
