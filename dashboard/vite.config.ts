import { defineConfig } from 'vite'

/** `npm run dashboard` serves the sources with reload on http://localhost:5173/dashboard/; the rest is the service on 4025. */
const SERVICE = 'http://localhost:4025'

export default defineConfig({
  base: '/dashboard/',
  build: {
    target: 'es2022',
    emptyOutDir: true,
    // All styles together are 21 kB; in pieces, the order in which pages are opened would be the order of the rules.
    cssCodeSplit: false,
    assetsInlineLimit: 0, // the policy of the page allows no inline scripts
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 400,
    rolldownOptions: {
      // React's libraries mark their files for servers that render; there is no such server here.
      onLog(level, log, handle) {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log)
      },
    },
  },
  server: {
    proxy: {
      // Everything but the program itself. The service checks the origin, which is this server's: so say the service's.
      '^/(?!dashboard(/|$)(?!session|live|frame))': {
        target: SERVICE,
        changeOrigin: true,
        headers: { origin: SERVICE },
      },
    },
  },
})
