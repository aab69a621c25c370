"""A certificate authority that only the tests trust."""

from __future__ import annotations

import datetime
import ssl
import tempfile
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

DAY = datetime.timedelta(days=1)


@dataclass(frozen=True)
class Issued:
    """A certificate and its key."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey


class Authority:
    """Issues certificates for made-up names; `trusting` is the TLS of a client that believes them."""

    def __init__(self) -> None:
        self._root = _issue("placet tests", [], None)

    def trusting(self) -> ssl.SSLContext:
        """A client's TLS: this authority and no other, names checked."""
        return ssl.create_default_context(cadata=_pem(self._root.certificate).decode())

    def serving(self, *names: str) -> ssl.SSLContext:
        """A server's TLS under a certificate of these names."""
        issued = _issue(names[0], list(names), self._root)
        key = issued.key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "chain.pem"
            path.write_bytes(key + _pem(issued.certificate))
            context.load_cert_chain(path)
        return context


def _issue(common_name: str, names: list[str], by: Issued | None) -> Issued:
    key = ec.generate_private_key(ec.SECP256R1())
    now = datetime.datetime.now(datetime.UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(_name(common_name))
        .issuer_name(by.certificate.subject if by else _name(common_name))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - DAY)
        .not_valid_after(now + DAY)
        .add_extension(x509.BasicConstraints(ca=by is None, path_length=None), critical=True)
    )
    if names:
        builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(one) for one in names]), False)
    return Issued(builder.sign((by or Issued(None, key)).key, hashes.SHA256()), key)  # type: ignore[arg-type]


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)
