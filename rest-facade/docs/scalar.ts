import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { DocsOptions } from './content/docs-options.ts'

const require = createRequire(import.meta.url)

/**
 * The program of the reference, as it was published, for browsers; null where nobody installed it. It is a
 * development dependency, because it brings dozens of packages of which nothing runs here: images of
 * production copy these files alone (Dockerfile).
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

/** Nothing is asked of, sent to or loaded from anywhere but this gateway. */
export function scalarConfiguration({ baseUrls }: DocsOptions, documentUrl: string): object {
  return {
    url: documentUrl,
    // The first one is where its console sends requests, unless the reader chooses otherwise.
    servers: [
      { url: baseUrls.sandbox, description: 'Sandbox: free, answered by a simulator' },
      { url: baseUrls.live, description: 'Live: costs credits' },
    ],
    telemetry: false,
    withDefaultFonts: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    hideClientButton: true,
    showDeveloperTools: 'never',
    persistAuth: false,
    documentDownloadType: 'direct',
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    authentication: { preferredSecurityScheme: 'ApiKeyBearer' },
    operationTitleSource: 'summary',
    hideDarkModeToggle: true,
  }
}
