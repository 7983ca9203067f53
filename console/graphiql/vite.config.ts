import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { browsers } from '../browsers.ts'

export default defineConfig({
  plugins: [react()],
  build: {
    target: browsers,
    assetsDir: '',
    // In parts, its buttons would work before its editors.
    rolldownOptions: { output: { codeSplitting: false } },
    reportCompressedSize: false,
    license: true,
  },
  experimental: {
    // The page is at /graphiql, below any path of a proxy, and its files are below that.
    renderBuiltUrl: (name, { hostType }) =>
      hostType === 'html' ? `graphiql/${name}` : { relative: true },
  },
})
