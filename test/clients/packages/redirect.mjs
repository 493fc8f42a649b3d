// Loaded before an adapter that knows one address only: what it asks the vendor is asked of the service under trial.
const { fetch } = globalThis
const VENDOR = 'https://api.resend.com'

globalThis.fetch = (resource, options) => {
  const url = String(resource instanceof Request ? resource.url : resource)
  return fetch(url.startsWith(VENDOR) ? process.env.RESEND_BASE_URL + url.slice(VENDOR.length) : resource, options)
}
