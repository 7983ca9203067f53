// First of all: the secret of a link leaves the address.
import '../session/link.ts'
import { RouterProvider } from '@tanstack/react-router'
import { start } from '../../../src/shell/start.tsx'
import '../operator.css'
import { queries } from '../api.ts'
import { router } from './router.tsx'

start(queries, <RouterProvider router={router} />)
