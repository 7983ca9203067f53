import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type Response, Router } from 'express'
import { callOf } from '../../../rest-facade/http/call.ts'
import { methodNotAllowed } from '../../../rest-facade/http/unknown-route.ts'
import { projectRoot } from '../../../schema/process/project-root.ts'

const require = createRequire(import.meta.url)

const ours = join(projectRoot, 'gateway/internal/graphiql')
const [graphiql, react, reactDom] = [
  dirname(require.resolve('graphiql/package.json')),
  dirname(require.resolve('react/package.json')),
  dirname(require.resolve('react-dom/package.json')),
]

/** Name below /graphiql/ → file. Libraries are served as published, without bundling. */
const assets: ReadonlyMap<string, string> = new Map([
  ['page.css', join(ours, 'page.css')],
  ['page.js', join(ours, 'page.js')],
  ['graphiql.css', join(graphiql, 'graphiql.min.css')],
  ['graphiql.js', join(graphiql, 'graphiql.min.js')],
  ['react.js', join(react, 'umd/react.production.min.js')],
  ['react-dom.js', join(reactDom, 'umd/react-dom.production.min.js')],
])

/**
 * The hash of a style that GraphiQL's dialogs insert, so that the page behind them does not move.
 */
const dialogStyle = "'sha256-nzTgYzXYDNe6BAHiiI7NNlfK8n/auuOAhh2t92YvuXo='"

/**
 * Everything comes from this listener, without inline scripts. The stylesheet has fonts and icons.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' ${dialogStyle}`,
  "connect-src 'self'",
  'font-src data:',
  'img-src data:',
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** GraphiQL, served by this process alone. The page needs no token; its queries do. */
export function graphiqlRoutes(): Router {
  const router = Router({ strict: true })
  router.get('/graphiql', (_req, res) => sendFile(res, join(ours, 'page.html')))
  router.get('/graphiql/:asset', (req, res, next) => {
    const file = assets.get(req.params.asset)
    if (file === undefined) return next()
    sendFile(res, file)
  })
  router.all('/graphiql', methodNotAllowed(['GET', 'HEAD']))
  return router
}

function sendFile(res: Response, file: string): void {
  res.set({
    'Content-Security-Policy': policy,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'X-Request-Id': callOf(res).requestId,
    // Revalidated each time, sent only if it changed.
    'Cache-Control': 'no-cache',
  })
  // The path of the installation may have a folder that begins with a dot.
  res.sendFile(file, { cacheControl: false, dotfiles: 'allow' })
}
