import { acting } from '../api.ts'

/** Signs in with a key, or proves a session once more. The page does not keep the key. */
export async function signInWith(key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key.trim()}` }
  await acting.oauth.openSession({}, { headers })
}
