/**
 * For `vi.waitUntil`, `vi.waitFor` and `expect.poll`: how long what must come may take. Only a test
 * that fails waits for all of it, so a loaded machine may be as slow as it is.
 */
export const patience = { timeout: 150_000, interval: 20 } as const
