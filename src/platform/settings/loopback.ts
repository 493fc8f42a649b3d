/** Only programs of this machine reach it. */
export const isLoopback = (host: string) => ['127.0.0.1', '::1', 'localhost'].includes(host)
