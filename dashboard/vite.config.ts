import { join } from 'node:path'
import { defineConfig, type Plugin } from 'vite'

/** `npm run dashboard` serves the sources with reload on http://localhost:5173/dashboard/; the rest is the service on 4025. */
const SERVICE = 'http://localhost:4025'

/** The blocks of the editor import all of React Email; in the browser they get the parts that they use there. */
const reactEmailParts: Plugin = {
  name: 'react-email-parts',
  enforce: 'pre',
  resolveId: (source, importer) =>
    source === 'react-email' && importer && /@react-email\/editor\/dist\/extensions-/.test(importer)
      ? join(import.meta.dirname, 'src/editor/react-email-parts.tsx')
      : null,
}

export default defineConfig({
  base: '/dashboard/',
  plugins: [reactEmailParts],
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
