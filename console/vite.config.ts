import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  // The document of the gateway has the paths of its files; the files refer to each other by
  // relative paths.
  base: './',
  plugins: [react()],
  resolve: {
    // GraphiQL has installed an older React at the root, where packages of the console are too.
    dedupe: ['react', 'react-dom'],
    alias: { 'credit-gateway-sdk': fileURLToPath(new URL('../sdk/src/index.ts', import.meta.url)) },
  },
  build: {
    target: ['chrome120', 'firefox121', 'safari17'],
    // The policy permits `data:` addresses for images only.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    license: true,
  },
})
