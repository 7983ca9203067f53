import { backendJwksPath } from '../../../gateway/internal/backend-keys.ts'

const rememberedMs = 500

/** The keys by which a simulator verifies callers: those of a gateway that is started after it. */
export interface GatewayKeys {
  readonly keys: () => Promise<object | null>
  /** Where its facades' internal listeners are; any of them will do. */
  readonly know: (internalUrls: () => readonly string[]) => void
}

export function gatewayKeys(): GatewayKeys {
  let urls: () => readonly string[] = () => []
  let remembered: { readonly atMs: number; readonly keys: Promise<object | null> } | null = null

  async function ask(): Promise<object | null> {
    for (const url of urls()) {
      const response = await fetch(url + backendJwksPath).catch(() => null)
      if (response?.ok) return Object(await response.json())
      await response?.body?.cancel()
    }
    return null
  }

  return {
    async keys() {
      if (!remembered || performance.now() - remembered.atMs > rememberedMs) {
        remembered = { atMs: performance.now(), keys: ask() }
      }
      const keys = await remembered.keys
      if (!keys) remembered = null
      return keys
    },
    know(internalUrls) {
      urls = internalUrls
    },
  }
}
