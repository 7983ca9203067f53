import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Response, Router } from 'express'
import { callOf } from '../../rest-facade/http/call.ts'
import { methodNotAllowed } from '../../rest-facade/http/unknown-route.ts'
import { projectRoot } from '../../schema/process/project-root.ts'

const built = join(projectRoot, 'console/dist/graphiql')

/**
 * The hash of a style that GraphiQL's dialogs insert, so that the page behind them does not move.
 */
const dialogStyle = "'sha256-nzTgYzXYDNe6BAHiiI7NNlfK8n/auuOAhh2t92YvuXo='"

/**
 * The policy of the page: everything comes from this listener, without inline scripts. The
 * stylesheet has fonts and icons.
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

/**
 * GraphiQL, as `console/build.mjs` has built it. The page needs no token; its queries do. Not found if it was
 * not built.
 */
export function graphiqlRoutes(): Router {
  const router = Router({ strict: true })
  if (!existsSync(join(built, 'index.html'))) return router
  const assets = new Set(readdirSync(built).filter((name) => /\.(?:js|css)$/.test(name)))
  router.get('/graphiql', (_req, res) => sendFile(res, join(built, 'index.html')))
  router.get('/graphiql/:asset', (req, res, next) => {
    const { asset } = req.params
    if (!assets.has(asset)) return next()
    sendFile(res, join(built, asset))
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
    // A browser asks each time whether the file has changed, and gets it only then.
    'Cache-Control': 'no-cache',
  })
  // The path of the installation may have a folder that begins with a dot.
  res.sendFile(file, { cacheControl: false, dotfiles: 'allow' })
}
