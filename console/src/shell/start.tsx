import '@mantine/core/styles.css'
import '../theme/console.css'
import '../theme/screens.css'
import { MantineProvider } from '@mantine/core'
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { reloadPage } from '../parts.ts'
import { styleNonce } from '../place.ts'
import { theme, variables } from '../theme/theme.ts'
import { permitOnlyText } from '../trusted-types.ts'

/** Shows the pages in the document, with our theme. */
export function start(queries: QueryClient, pages: ReactNode): void {
  permitOnlyText()
  // Libraries that lock the page behind a dialog look for the nonce of their style element here.
  Object.assign(globalThis, { __webpack_nonce__: styleNonce })

  // A page from the browser's back-forward cache may show the data of an ended session.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) void reloadPage()
  })

  const place = document.getElementById('console')
  if (!place) throw new Error('The document has no place for the console.')
  createRoot(place).render(
    <MantineProvider
      theme={theme}
      cssVariablesResolver={variables}
      defaultColorScheme="auto"
      getStyleNonce={() => styleNonce}
    >
      <QueryClientProvider client={queries}>{pages}</QueryClientProvider>
    </MantineProvider>,
  )
}
