import { defineConfig } from '@playwright/test'

export default defineConfig({
  testMatch: '*.spec.ts',
  // One Postwren for all tests, on free ports. It starts in about a second, and ends with them.
  globalSetup: 'postwren/testing/setup',
  fullyParallel: true,
  reporter: 'list',
  use: {
    // The browser that Playwright has installed, or the one of the system.
    launchOptions: { ...(process.env.CHROMIUM && { executablePath: process.env.CHROMIUM }) },
  },
})
