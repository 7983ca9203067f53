import { Status, type Tone } from '../../components/status.tsx'

const tones: Readonly<Record<string, readonly [Tone, string]>> = {
  active: ['good', 'active'],
  scheduled_to_cancel: ['caution', 'ends with the period'],
  canceled: ['alert', 'canceled'],
  inactive: ['quiet', 'not booked'],
}

/** Whether a subscription or an add-on goes on. */
export function Entitlement({ status }: { readonly status: string }) {
  const [tone, words] = tones[status] ?? (['quiet', status] as const)
  return <Status tone={tone}>{words}</Status>
}
