import type { GoldenMail } from './mail.ts'

export const SPANISH: readonly GoldenMail[] = [
  {
    subject: 'Tu código de verificación',
    text: 'Hola:\n\nTu código de verificación es 583026. Caduca en 10 minutos.\n\n¿Dudas? Llama al 900 123 456.\nEjemplo S.L., Calle Mayor 14, 28013 Madrid',
    codes: ['583026'],
  },
  { subject: '771094 es tu código de acceso', text: 'No lo compartas con nadie.', codes: ['771094'] },
  {
    subject: 'Inicio de sesión',
    html: '<p>Introduce este código para iniciar sesión:</p><h1>406 218</h1><p>Solicitado el 16/11/2026 a las 09:14 desde Sevilla.</p>',
    codes: ['406218'],
  },
  {
    subject: 'Confirma tu correo',
    html: '<table><tr><td>C&oacute;digo:</td><td>90317</td></tr><tr><td>Cliente:</td><td>4412087</td></tr></table>',
    codes: ['90317'],
  },
  {
    subject: 'Clave de un solo uso',
    text: 'Su clave dinámica es: 228401\nVálida para la operación de 1.250,00 € con la tarjeta terminada en 4242.',
    codes: ['228401'],
  },
  {
    subject: 'Restablecer contraseña',
    html: '<div>Usa este código para restablecer tu contraseña</div><div style="font:bold 32px Arial">6 6 0 3 1 9</div><div>Referencia 2026-118820</div>',
    codes: ['660319'],
  },
  {
    subject: 'Verificación en dos pasos',
    text: 'Ingresa 5107 en la aplicación para verificar que eres tú.',
    codes: ['5107'],
  },
  {
    subject: 'Código de seguridad',
    text: 'Código de seguridad:\n\n>> 3B7-K2M <<\n\nSi no lo pediste, ignora este mensaje.',
    codes: ['3B7K2M'],
  },
  {
    subject: 'Activa tu cuenta',
    html: '<p>¡Bienvenida!</p><p>Para activar tu cuenta escribe el código</p><p><b style="font-size:26px">18840273</b></p><p>Vigente durante 24 horas</p>',
    codes: ['18840273'],
  },
  {
    subject: 'Nuevo dispositivo',
    text: 'Detectamos un acceso con Android 14.\nCódigo de confirmación: 094-725\nTeléfono de ayuda: +34 911 23 45 67',
    codes: ['094725'],
  },
  { subject: 'PIN temporal', text: 'Tu PIN temporal es 7719.', codes: ['7719'] },
  {
    subject: 'Contraseña temporal',
    text: 'Tu contraseña de un solo uso es K7P2Q9 y vence a las 18:45.',
    codes: ['K7P2Q9'],
  },
  {
    subject: 'Ejemplo',
    html: '<div style="display:none">Tu código es 340155</div><p>Hola, Ana:</p><p>escribe este número en la pantalla de verificación.</p><p style="font-size:2em">340155</p>',
    codes: ['340155'],
  },
  { subject: 'Código 662903', text: 'Es el que necesitas para entrar. Dura 5 minutos.', codes: ['662903'] },
  {
    subject: 'Cambio de correo',
    html: '<ul><li>Cuenta: ana@example.com</li><li>Código de autorización: <em>510 448</em></li><li>Fecha: 16 de noviembre de 2026</li></ul>',
    codes: ['510448'],
  },
  {
    subject: 'Pedido 482913 confirmado',
    text: 'Gracias por tu compra.\nNúmero de pedido: 482913\nTotal: 1249,90 €\nEnvío a Calle Mayor 14, 28013 Madrid\nCódigo de seguimiento: PK99124451\nLlegará el 18 de noviembre de 2026',
    codes: [],
  },
  {
    subject: 'Factura de noviembre',
    text: 'Factura núm. 202611\nImporte: 4.800,00 EUR\nNIF B12345678\nVencimiento 30/11/2026\nConfirma la recepción de este correo.',
    codes: [],
  },
  {
    subject: 'Rebajas: 25 % de descuento',
    html: '<h1>25 % menos</h1><p>Usa el código</p><h2>OTONO25</h2><p>en tu carrito. Más de 3000 productos.</p>',
    codes: [],
  },
  {
    subject: 'Recordatorio de cita',
    text: 'Su cita del 17 de noviembre de 2026 a las 14:30 en el consultorio 2041 está confirmada. Para cambiarla llame al 900 765 432.',
    codes: [],
  },
  {
    subject: 'Boletín 1204',
    html: '<h1>Noticias</h1><p>Desde 1998 con 45000 lectores.</p><p>Escanea el código QR de la página 12.</p><p>Apartado 41080, Sevilla</p>',
    codes: [],
  },
]
