import { texts } from './texts.ts'

// In the order in which they have to be asked: each browser names those that it wants to be taken for.
const BROWSERS = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Chrome|CriOS|Chromium|HeadlessChrome)\//],
  ['Safari', /\bSafari\//],
] as const
const SYSTEMS = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Mac', /\bMac OS X\b|\bMacintosh\b/],
  ['Windows', /\bWindows\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
] as const

/** “Firefox on Windows”: as much of what a browser says about itself as people know it by. */
export function deviceName(userAgent: string | null): string {
  if (!userAgent) return texts.device.unknown
  const named = (list: readonly (readonly [string, RegExp])[]) => list.find(([, sign]) => sign.test(userAgent))?.[0]
  const [browser, system] = [named(BROWSERS), named(SYSTEMS)]
  if (browser && system) return texts.device.browserOnSystem(browser, system)
  return browser ?? system ?? userAgent.slice(0, 40)
}
