import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  // The gateway says in the document where its files are; they find each other by themselves.
  base: './',
  plugins: [react()],
  resolve: {
    // GraphiQL has an older React at the root, where packages of the console lie too.
    dedupe: ['react', 'react-dom'],
    alias: { 'credit-gateway-sdk': fileURLToPath(new URL('../sdk/src/index.ts', import.meta.url)) },
  },
  build: {
    target: ['chrome120', 'firefox121', 'safari17'],
    // The policy permits no data of other kinds than images.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    license: true,
  },
})
