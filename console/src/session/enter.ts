import { acting } from '../api.ts'

/** Signs in with a key, or proves a session once more. The key stays nowhere in the page. */
export async function signInWith(key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key.trim()}` }
  await acting.oauth.openSession({}, { headers })
}
