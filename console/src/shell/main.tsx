import { RouterProvider } from '@tanstack/react-router'
import { queries } from '../api.ts'
import { router } from './router.tsx'
import { start } from './start.tsx'

start(queries, <RouterProvider router={router} />)
