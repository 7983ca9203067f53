import { defineConfig, mergeConfig } from 'vite'
import shared from '../vite.config.ts'

// The same build as the console's, with the console's icon.
export default mergeConfig(shared, defineConfig({ publicDir: '../public' }))
