"""The first graph of the tour in Python: z = 2*3 * (x + y) * sin(x)."""
import mlgc

b = mlgc.Builder("z")
x, y = b.input("x"), b.input("y")
six = b.mul(b.constant(2.0, name="two"), b.constant(3.0, name="three"), name="six")
product = b.mul(b.add(x, y, name="sum"), b.sin(x, name="sine"), name="product")
f = b.function(z=product * six)

print(f)
print("z:", f(0.5, 2.0))
print("z, dz/dx, dz/dy:", f.grad()(0.5, 2.0))
print("z, compiled:", f(0.5, 2.0, backend="cpp"))
