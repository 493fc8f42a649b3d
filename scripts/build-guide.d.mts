interface Page {
  readonly file: string
  readonly title: string
  readonly html: string
  readonly sections: readonly { readonly anchor: string; readonly heading: string; readonly text: string }[]
}

export const guideFiles: () => string[]
export const anchorOf: (heading: string) => string
export const linkFrom: (file: string, href: string, files: readonly string[]) => string
export const renderPage: (file: string, files: readonly string[]) => Page
export const contentsOf: (
  files: readonly string[],
) => { readonly heading: string; readonly pages: { readonly name: string; readonly file: string }[] }[]
