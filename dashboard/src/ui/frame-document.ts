import type { MailScheme } from './mail-scheme.ts'

const policy = (pictures: string) =>
  `default-src 'none'; img-src ${pictures}; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'`

/**
 * What a mail that says nothing about itself looks like. Nothing here may change the layout of one that does: no margins and no
 * line height, words break only where they would run out of their box (`anywhere` lets every column of a table shrink to a letter),
 * and pictures in tables keep their width, since columns take theirs from it. `:where` yields to every rule of the mail.
 */
const DEFAULTS = {
  light: defaultsOf('color-scheme:light;color:#111'),
  dark: defaultsOf('color-scheme:dark;color:#eee'),
}

function defaultsOf(colours: string) {
  return `:where(html){${colours};font-family:system-ui,sans-serif;overflow-wrap:break-word}
:where(img:not(table img)){max-width:100%}`
}

/** A mail's html as the document of a frame that may load nothing but these pictures. */
export const frameDocument = (html: string, pictures: string, scheme: MailScheme = 'light') => `<!doctype html>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy(pictures)}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width">
<style>${DEFAULTS[scheme]}</style>
${html}`
