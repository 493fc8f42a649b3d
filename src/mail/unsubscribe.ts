/** RFC 8058 wants both headers, and the POST one only beside an https URL. */
export function unsubscribeHeaders(url: URL): { 'List-Unsubscribe': string; 'List-Unsubscribe-Post'?: string } {
  return {
    // The one character that could end the brackets early: a mailto URL keeps it as it is.
    'List-Unsubscribe': `<${url.href.replaceAll('>', '%3E')}>`,
    ...(url.protocol === 'https:' && { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
  }
}
