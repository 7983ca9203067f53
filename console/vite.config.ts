import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { browsers } from './browsers.ts'

export default defineConfig({
  // The document of the gateway has the paths of its files; the files refer to each other by
  // relative paths.
  base: './',
  plugins: [react()],
  resolve: {
    alias: { 'credit-gateway-sdk': fileURLToPath(new URL('../sdk/src/index.ts', import.meta.url)) },
  },
  build: {
    target: browsers,
    // The policy permits `data:` addresses for images only.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    license: true,
  },
})
