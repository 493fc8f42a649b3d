import type { GoldenMail } from './mail.ts'

export const PORTUGUESE: readonly GoldenMail[] = [
  {
    subject: 'Seu código de verificação',
    text: 'Olá!\n\nSeu código de verificação é 917350.\nEle expira em 10 minutos.\n\nExemplo Ltda., Rua das Flores 120, 01310-100 São Paulo\nCNPJ 12.345.678/0001-90',
    codes: ['917350'],
  },
  { subject: '604182 é o seu código', text: 'Não compartilhe com ninguém.', codes: ['604182'] },
  {
    subject: 'Acesso à sua conta',
    html: '<p>Digite o código abaixo para entrar:</p><p style="font-size:34px">250&nbsp;917</p><p>Pedido às 09:14 de 16/11/2026.</p>',
    codes: ['250917'],
  },
  {
    subject: 'Confirme seu e-mail',
    html: '<table><tr><th>Código</th><td>48 10 33</td></tr><tr><th>Conta</th><td>bia@example.com</td></tr></table>',
    codes: ['481033'],
  },
  { subject: 'Token de acesso', text: 'Código do token: 77014\nVálido por 60 segundos.', codes: ['77014'] },
  {
    subject: 'Redefinição de senha',
    html: '<p>Use este código para redefinir sua senha</p><div>0</div><div>3</div><div>9</div><div>6</div><div>1</div><div>2</div><p>Protocolo 20261116001</p>',
    codes: ['039612'],
  },
  {
    subject: 'Senha temporária',
    text: 'Sua senha temporária é H4W8T2. Troque-a no primeiro acesso.',
    codes: ['H4W8T2'],
  },
  {
    subject: 'Verificação em duas etapas',
    text: 'Use 8830 para confirmar que é você. Central: 0800 123 4567.',
    codes: ['8830'],
  },
  {
    subject: 'Código de segurança',
    text: 'Compra de R$ 1.249,90 no cartão final 4242.\nCódigo de segurança: 331-860',
    codes: ['331860'],
  },
  {
    subject: 'Ative a sua conta',
    html: '<h2>Quase lá</h2><p>O seu código de ativação:</p><pre>2071 4489</pre><p>Valido até 17/11/2026</p>',
    codes: ['20714489'],
  },
  {
    subject: 'Novo dispositivo',
    text: 'Detectamos um acesso de Porto (4000-322).\n\nCódigo de confirmação\n516094\n\nSe não foi você, ligue 800 200 300.',
    codes: ['516094'],
  },
  { subject: 'PIN', text: 'O PIN é: 6402', codes: ['6402'] },
  { subject: 'Exemplo: código 129 773', text: 'Insira-o na janela de login.', codes: ['129773'] },
  {
    subject: 'Código de acesso único',
    html: '<p>Olá, Bia. <span>O código é</span> <strong>QX4-7LM</strong>.</p><p>© 2019–2026 Exemplo</p>',
    codes: ['QX47LM'],
  },
  {
    subject: 'Mudança de e-mail',
    text: 'Para confirmar a mudança, informe o código 705518 em https://example.com/mudar/112233',
    codes: ['705518'],
  },
  {
    subject: 'Pedido nº 482913 confirmado',
    text: 'Número do pedido: 482913\nTotal: R$ 1249,90\nEntrega: Rua das Flores 120, CEP 01310-100\nCódigo de rastreio: BR123456789\nPrevisão: 18 de novembro de 2026',
    codes: [],
  },
  {
    subject: 'Sua fatura de novembro',
    text: 'Fatura 20261104\nValor: R$ 480,00\nVencimento: 30/11/2026\nCódigo de barras: 34191.79001 01043.510047 91020.150008\nConfirme o pagamento no aplicativo.',
    codes: [],
  },
  {
    subject: '30% de desconto só hoje',
    html: '<h1>Oferta</h1><p>Use o cupom</p><h2>OUTONO30</h2><p>Código promocional válido em 2500 produtos.</p>',
    codes: [],
  },
  {
    subject: 'Lembrete de consulta',
    text: 'Sua consulta de 17 de novembro de 2026 às 14h30, sala 2041, está confirmada. Para remarcar ligue (11) 4002-8922.',
    codes: [],
  },
  {
    subject: 'Novidades da semana',
    html: '<h1>Edição 1204</h1><p>Desde 1998 e com 45000 leitores.</p><p>Aponte a câmera para o código QR.</p>',
    codes: [],
  },
]
