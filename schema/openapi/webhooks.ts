import type { Components } from './components.ts'
import type { Json } from './json.ts'

/** What an account's software is sent: a request for each type of event. None yet. */
export function webhookItems(_components: Components): Json {
  return {}
}
