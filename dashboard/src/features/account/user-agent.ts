import { texts } from './texts.ts'

// In the order in which they have to be asked: each browser names those that it wants to be taken for.
const BROWSERS = [
  [texts.edge, /\bEdg(?:e|A|iOS)?\//],
  [texts.opera, /\bOPR\//],
  [texts.firefox, /\b(?:Firefox|FxiOS)\//],
  [texts.chrome, /\b(?:Chrome|CriOS|Chromium|HeadlessChrome)\//],
  [texts.safari, /\bSafari\//],
] as const
const SYSTEMS = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  [texts.android, /\bAndroid\b/],
  [texts.mac, /\bMac OS X\b|\bMacintosh\b/],
  [texts.windows, /\bWindows\b/],
  ['ChromeOS', /\bCrOS\b/],
  [texts.linux, /\bLinux\b/],
] as const

/** “Firefox on Windows”: as much of what a browser says about itself as people know it by. */
export function deviceName(userAgent: string | null): string {
  if (!userAgent) return texts.unknown
  const named = (list: readonly (readonly [string, RegExp])[]) => list.find(([, sign]) => sign.test(userAgent))?.[0]
  const [browser, system] = [named(BROWSERS), named(SYSTEMS)]
  if (browser && system) return `${browser} on ${system}`
  return browser ?? system ?? userAgent.slice(0, 40)
}
