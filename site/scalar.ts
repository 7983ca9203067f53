import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { DocsOptions } from './values/docs-options.ts'

const require = createRequire(import.meta.url)

/**
 * The published browser program of the reference, or null if it is not installed. It is a
 * development dependency, because it brings dozens of packages that do not run here. Production
 * images copy only these files (Dockerfile).
 */
export function findScalar(): string | null {
  try {
    const entry = require.resolve('@scalar/api-reference')
    return join(dirname(entry), 'browser/standalone.js')
  } catch (error) {
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND'
    if (isAbsent) return null
    throw error
  }
}

/** Scalar sends requests to this gateway only, and loads nothing from elsewhere. */
export function scalarConfiguration({ baseUrls }: DocsOptions, documentUrl: string): object {
  return {
    url: documentUrl,
    // The console uses the first one unless the reader chooses another.
    servers: [
      { url: baseUrls.sandbox, description: 'Sandbox: free, answered by a simulator' },
      { url: baseUrls.live, description: 'Live: costs credits' },
    ],
    telemetry: false,
    withDefaultFonts: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    hideClientButton: true,
    // Every operation has its own samples, which name neither an address nor a key.
    hiddenClients: true,
    showDeveloperTools: 'never',
    persistAuth: false,
    documentDownloadType: 'direct',
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    authentication: { preferredSecurityScheme: 'ApiKeyBearer' },
    operationTitleSource: 'summary',
    hideDarkModeToggle: true,
  }
}
