import { type Check, problem } from './check.ts'

const prompts: readonly string[] = ['none', 'login', 'consent', 'select_account']

/** OpenID Connect Core §3.1.2.1: `none` cannot be combined with other values. */
export const checkPrompt: Check = ({ prompt }) => {
  const wanted = promptsOf(prompt)
  if (wanted.some((name) => !prompts.includes(name))) {
    return problem('prompt', `must be of ${prompts.join(', ')}`)
  }
  return wanted.includes('none') && wanted.length > 1
    ? problem('prompt', 'none must stand alone')
    : []
}

export function promptsOf(prompt: string | null): readonly string[] {
  return prompt === null ? [] : prompt.split(' ')
}
